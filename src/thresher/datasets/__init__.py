"""Reading what users have into frozen columns named by the socket vocabulary."""
