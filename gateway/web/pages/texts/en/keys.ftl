## Keys, usage, plans and requests
