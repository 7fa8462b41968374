## The frame of an account: today, team, tokens, activity, settings, calls
