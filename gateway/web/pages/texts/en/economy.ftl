## Currencies and rates of an account
