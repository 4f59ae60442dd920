"""Reading files and texts of others: every reader opens, unpacks and parses through these functions.

They apply the limits of `ReadLimits`, and turn whatever is wrong into one InputError.
"""
