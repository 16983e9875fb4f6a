"""The stops of the tour: each asks some of the questions, and knows the answers from the data alone."""
