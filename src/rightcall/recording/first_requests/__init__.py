"""The first request of a trial: its digest, and how to learn it without asking the model.

request_digest  which HTTP requests ask a model; a digest of each part of one, without secrets; what differs between two
heard_setup     instructions and definitions of an agent that is code, as its requests have them
kept_state      agents that carry one trial into the next, noticed by their first requests
trial           the trial that code runs in: watched while it runs, or captured and stopped at its first request
listener        where the hooks into HTTP libraries hand in requests; what a captured trial must not start; trials
                followed into threads and pools, which do not carry a context
"""
