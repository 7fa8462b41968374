## Le cadre d’un compte : aujourd’hui, équipe, jetons, activité, réglages, appels
