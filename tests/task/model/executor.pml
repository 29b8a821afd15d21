/* Model of the executor of task graphs (src/weft/task/executor.cpp): a rank of two threads and one of one thread execute two
 * iterations of a graph with an exchange and a reduction over the ranks. model_test.py checks with spin that no assertion fails
 * and that no state is final before all threads have ended, in any order of their steps.
 *
 *   border -> start -> finish -> use -> sum -> last,   inner -> more -> last
 *
 * border and use precede communication and are urgent: they are in a list of their own, from which a thread takes first, also
 * before it executes the successor that it has made ready, which it then appends to the other list.
 *
 * Claims: each node is executed once in an iteration, after those that it waits for; a thread that sleeps is woken; no rank waits
 * for ever; a message is that of the same iteration, and one slot for each neighbour suffices.
 *
 * Polling is modelled as waiting for what ends it, so that endless polling is a final state, too. Memory is sequentially
 * consistent, as the operations of the executor are by default.
 *
 * Mutations, each of which must be found (model_test.py compiles one after the other):
 *   SLEEP   a thread reads the signal after it has looked for work: a wake-up in between is lost
 *   COUNT   the counter of a node is read and written in two steps: its last predecessor is not noticed
 *   ORDER   rank 1 begins the reduction as soon as it can, not after the exchange: each rank waits for the other
 *   WAKE    a worker that makes communication ready wakes nobody
 *   LOSE    a thread that takes an urgent node forgets the one that it would have executed
 */
#define RANKS 2
#define ITERATIONS 2
#define NONE 255

#define BORDER 0
#define START 1
#define FINISH 2
#define INNER 3
#define USE 4
#define SUM 5
#define LAST 6
#define MORE 7
#define NODES 8

#define URGENT(n) ((n) == BORDER || (n) == USE)

#define AT(r, n) ((r) * NODES + (n))

byte waits_for[RANKS * NODES]; /* predecessors that have not been executed */
bit executed[RANKS * NODES];
byte ready[RANKS];     /* a bit for each node of the lists of ready nodes */
byte remaining[RANKS]; /* nodes that no thread has counted as executed */
byte sleeping[RANKS];
byte signal[RANKS];
byte round[RANKS];   /* iterations that the team of the rank has begun */
byte running[RANKS]; /* threads of the team in the iteration */
byte entered[RANKS]; /* reductions that the rank has begun */
chan message[RANKS] = [1] of { byte }; /* to the rank */

#define ARRIVED (len(message[r]) > 0)

/* The successor of a node, here at most one. */
#define SUCCESSOR(n)                                                                                    \
  (n == BORDER -> START                                                                                 \
                : (n == START -> FINISH                                                                 \
                              : (n == FINISH -> USE                                                     \
                                            : (n == USE -> SUM : (n == INNER -> MORE : (n == LAST -> NONE : LAST))))))

inline wake() { atomic { signal[r] = (signal[r] + 1) % 16 } }

inline execute(n) {
  atomic {
    assert(waits_for[AT(r, n)] == 0 && !executed[AT(r, n)]);
    executed[AT(r, n)] = 1
  }
}

/* Executor::release(). `next` becomes a node that this thread executes next. */
inline release(n) {
  done++;
  successor = SUCCESSOR(n);
  if
  :: successor == NONE -> skip
  :: else ->
#ifdef COUNT
    count = waits_for[AT(r, successor)];
    waits_for[AT(r, successor)] = count - 1;
#else
    atomic { count = waits_for[AT(r, successor)]; waits_for[AT(r, successor)] = count - 1 }
#endif
    if
    :: count != 1 -> count = 0
    :: else ->
      count = 0;
      if
      :: successor == FINISH -> assert(t == 0); in_flight = 1
      :: successor == START || successor == SUM ->
#ifdef WAKE
        skip
#else
        if :: sleeping[r] > 0 -> wake() :: else fi
#endif
      :: else -> next = successor
      fi
    fi
  fi;
  successor = 0
}

/* Executor::append() of what release() of the communicating thread has made ready. */
inline append_next() {
  if
  :: next != NONE ->
    ready[r] = ready[r] | (1 << next);
    next = NONE;
    if :: sleeping[r] > 0 -> wake() :: else fi
  :: else
  fi
}

#define BEGIN_START (begun == 0 && waits_for[AT(r, START)] == 0)
#ifdef ORDER
#define BEGIN_SUM (t == 0 && !summed && ((r == 1 && waits_for[AT(r, SUM)] <= 1) || (begun == 1 && waits_for[AT(r, SUM)] == 0)))
#else
#define BEGIN_SUM (begun == 1 && waits_for[AT(r, SUM)] == 0)
#endif
#define COMMUNICATION_IS_READY (BEGIN_START || BEGIN_SUM)

inline all_reduce() {
  entered[r]++;
  entered[1 - r] >= entered[r] /* waits for the other rank */
}

/* Executor::communicate() */
inline communicate() {
  if
  :: BEGIN_START ->
    begun = 1;
    execute(START);
    assert(len(message[1 - r]) == 0);
    message[1 - r]!iteration;
    release(START)
  :: else
  fi;
  if
#ifdef ORDER
  :: BEGIN_SUM && r == 1 -> summed = 1; begun = (begun == 1 -> 2 : begun); all_reduce()
#endif
  :: BEGIN_SUM ->
    begun = 2;
    all_reduce();
    execute(SUM);
    release(SUM);
    append_next()
  :: else
  fi;
  if
  :: in_flight && ARRIVED ->
    in_flight = 0;
    execute(FINISH);
    message[r]?received;
    atomic { assert(received == iteration); received = 0 }
    release(FINISH);
    append_next()
  :: else
  fi
}

#define URGENT_READY (ready[r] & ((1 << BORDER) | (1 << USE)))

inline take() {
  atomic {
    if
    :: ready[r] & (1 << BORDER) -> node = BORDER
    :: ready[r] & (1 << USE) -> node = USE
    :: !URGENT_READY && (ready[r] & (1 << INNER)) -> node = INNER
    :: !URGENT_READY && (ready[r] & (1 << MORE)) -> node = MORE
    :: !URGENT_READY && (ready[r] & (1 << LAST)) -> node = LAST
    :: ready[r] == 0 -> node = NONE
    fi;
    if :: node != NONE -> ready[r] = ready[r] & ~(1 << node) :: else fi
  }
}

/* Executor::most_urgent(): takes an urgent node in place of `node`, and appends that. */
inline take_more_urgent() {
  atomic {
    if
    :: !URGENT(node) && URGENT_READY ->
      next = node;
      take()
    :: else
    fi
  }
#ifdef LOSE
  next = NONE
#else
  append_next()
#endif
}

#define WORK (ready[r] != 0 || remaining[r] == 0 || (t == 0 && COMMUNICATION_IS_READY))

/* Executor::rest(): the communicating thread polls while an exchange is in flight. */
inline rest() {
  if
  :: in_flight -> (WORK || ARRIVED)
  :: else ->
    sleeping[r]++;
#ifdef SLEEP
    if :: WORK -> work = 1 :: else -> work = 0 fi;
    seen = signal[r];
#else
    seen = signal[r];
    if :: WORK -> work = 1 :: else -> work = 0 fi;
#endif
    if :: !work -> signal[r] != seen :: else fi;
    atomic { sleeping[r]--; seen = 0; work = 0 }
  fi
}

proctype Thread(byte r; byte t) {
  byte iteration, node, next, successor, count, done, begun, received, seen;
  bit in_flight, work;
#ifdef ORDER
  bit summed;
#endif
  for (iteration : 0 .. ITERATIONS - 1) {
    node = NONE;
    next = NONE;
    done = 0;
    begun = 0;
    if
    :: t == 0 -> /* Executor::run(): prepares the counters, and begins the round of the team */
      d_step {
        for (count : 0 .. NODES - 1) {
          assert(iteration == 0 || executed[AT(r, count)]);
          executed[AT(r, count)] = 0;
          waits_for[AT(r, count)] = ((count == BORDER || count == INNER) -> 0 : (count == LAST -> 2 : 1))
        }
        ready[r] = (1 << BORDER) | (1 << INNER);
        remaining[r] = NODES;
        running[r] = 2 - r;
#ifdef ORDER
        summed = 0;
#endif
        round[r]++
      }
    :: else -> round[r] == iteration + 1
    fi;
    do
    :: true ->
      if :: t == 0 -> communicate() :: else fi;
      if :: node == NONE -> take() :: else -> take_more_urgent() fi;
      if
      :: node != NONE ->
        execute(node);
        release(node);
        node = next;
        next = NONE
      :: else ->
        if
        :: done > 0 ->
          atomic { remaining[r] = remaining[r] - done; count = remaining[r] }
          done = 0;
          if :: count == 0 -> wake() :: else fi;
          count = 0
        :: else
        fi;
        if
        :: remaining[r] == 0 -> break
        :: else -> rest()
        fi
      fi
    od;
    running[r]--;
    if
    :: t == 0 -> running[r] == 0
    :: else
    fi
  }
}

init {
  atomic {
    run Thread(0, 0);
    run Thread(0, 1);
    run Thread(1, 0)
  }
}
