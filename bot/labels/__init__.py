"""What people did with runs, as labels: recordings that say what they are worth, and tickets."""
