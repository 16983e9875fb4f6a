"""Records: old registers, put on line by societies, with the places and names that they mention."""
