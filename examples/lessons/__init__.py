"""Lessons: common shapes of keys, common mistakes, and what to do instead."""
