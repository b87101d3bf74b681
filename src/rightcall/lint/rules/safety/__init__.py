"""TD4: side effects and how they are guarded."""
