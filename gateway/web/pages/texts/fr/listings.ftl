## Fiches d’un compte
