"""Lower bounds of ε, measured from outside: audits of mechanisms, and mechanisms that must fail them."""
