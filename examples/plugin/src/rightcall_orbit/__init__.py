"""One of each part that a package can add to RightCall."""
