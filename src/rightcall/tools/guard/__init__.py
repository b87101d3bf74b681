"""The guard: a finite monitor of calls, results and user turns that stops calls an attacker could have caused.

policy          the policy file: base, trust, rules; `read_policy` with errors that say what to write
base_rules      the rules of `auto`, made from the roles of the tools; the words by which a user asks for an
                effect; a policy as YAML, each rule with the role that it came from
values          texts and values in one form: whole words, numbers, addresses
provenance      where a value comes from: the user, a trusted field, untrusted text, or nowhere
conditions      what a rule demands of a call
binding         a policy bound to the tools of a set
monitor         `Guard`: what is known in one trial, the verdict on a call after it; the calls of one message, judged
                and settled together; the verdicts on a recorded trial
"""
