## Clés, usage, plans et demandes
