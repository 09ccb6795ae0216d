"""Azarpanah and Farhadloo (2021), measures of bias: effect sizes side by side, other programs' rules, the figures."""
