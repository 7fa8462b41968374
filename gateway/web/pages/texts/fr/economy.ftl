## Monnaies et taux d’un compte
