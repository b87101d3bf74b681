"""One run on many processes and machines.

    lease     who has which cells, how many, and what happens to those of a lost worker; no I/O
    message   the messages between driver and workers
    worker    the body of a worker: a session, a pool, batches of results
    engine    the protocol of engines, which transport bytes between the two; what a worker is given first
    driver    a backend of `suite` that hands out work, collects results and replaces lost workers
    crew      its workers, each on a seat, and their shares of the agent's rate
    place     an engine on Ray and its options, from a suite and a command line (`ray`: the connection to it, and the
              only file that imports it)

Another engine is another class with the methods of `WorkerEngine`.
"""
