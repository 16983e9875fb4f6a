"""Tests of declarations: mistakes raise when the class is made, and valid designs are stored."""
