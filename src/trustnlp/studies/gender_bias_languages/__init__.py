"""Matthews et al. (2021), gender bias in nine languages: made languages, checks of the lists, trainings, figures."""
