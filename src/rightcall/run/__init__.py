"""Runs suites: suite file → plan → preparation → run → results, and what a run is compared with.

suite, suite_agent, suite_plan  suite.yaml, with the models it names; its agent with tools, and the plan made from it
suite_actions, trust          what running a suite would start or import, and whether it may
plan                          everything a run needs, with the selection and order of goldens
golden_check, request_templates   goldens, checked before a run
preparation                   prepares a plan: every problem found, its agent opened once, nothing spent yet
runner, live_run, run_record  runs a plan: asks for all of its trials, counts them, ends early
trials, sink                  asks a backend for trials, of a plan or in waves; results are on disk before they count;
                              what a gate or a run asks for once the trials are over
backend, case_runner          where trials take place, in this process or elsewhere; secrets are removed
conversations                 the conversations that a golden stands for, and who plays their users
conclude, decisions, answers  the verdict of a run, of a stored one, and of one in which nothing arrived
recorded_scores, rescorer     score recorded behaviour, or a stored run again
run_judges, judged_run        what judges were asked in a run, and what they answered
label_session, label_transfer who labels which case next, storing an answer; labels from and to other files
judged_estimate, judge_report the rate people would give; how reliable a judge is, asked again where it is
cost_estimate                 who asks which host, what a run would send, and what definitions cost in a run
attacks                       the numbers of a run with attacks
floor                         what agents that understand nothing pass
inputs                        everything that reaches the model, by hash
agent_sources, watched_inputs  code of an agent: whether it can be compared, and what it reads
baseline, baseline_file, baseline_pool  what main did and its tools returned, in a file or out of the store
rehearsal/                    behaviour without a model: made from goldens, played, judged

    baseline_anchor  the anchor: a frozen baseline of a release, with which main is compared every week
    suite_document   a suite as written: variables, the function that runs its tools
    suite_schema     the JSON Schema of suites
    gate_evidence    what a gate needs of a run's results, as they arrive or from the store
    golden_agents    checks what goldens say about agents, before any money is spent
    options          the options of `rightcall run` and `rightcall.run_suite`, each declared once
    suite_draft      the suite of an agent that exists, with drafts for its tools
    stored_cases     stores scored test cases as a run
    tool_lock        the lockfile next to a suite: are its tools those that were approved?
"""
