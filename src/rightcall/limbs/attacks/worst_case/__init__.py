"""The worst case: the user's calls, then those of a hijacked agent, through the guards. No model.

attacker_calls    what an attacker would call, made from the sinks or from `safety`
tampered_calls    the user's own calls with one argument changed, and once more
known_goals       goals with values that the agent has a right to know
planted_toolbox   a toolbox whose external sources carry the attacker's text
replay            the user's calls and the attacker's at every position, with the verdict on each
suite_replay      all goldens of a suite or a file, as `rc.worst_case`
options           the options of the command
run               one `rightcall attacks worst-case`, the worst case of a run for its gate, and calls that nothing
                  stopped as goldens
"""
