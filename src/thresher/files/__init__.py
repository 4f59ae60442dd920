"""Reading files and texts of others: every reader opens, unpacks and parses through these functions.

They apply the limits of `ReadLimits`, and turn whatever is wrong into one InputError.
All files of the package are written by `thresher.files.writing`, whole or not at all.
"""
