"""What is old is condensed, what is to go is forgotten everywhere."""
