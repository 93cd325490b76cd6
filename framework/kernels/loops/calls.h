/* The trampoline of compiled programs, `run` of framework/engine/codegen/runtime.py: waiting calls are generators in a
 * list.
 *
 * It calls CPython by the addresses of its functions, so it needs none of its headers. It gets the value of a
 * generator by `PyIter_Send`. In Python, each returned value would be a StopIteration.
 */

struct calls {
    /* `PyIter_Send`: 1 if the generator yielded, 0 if it returned, -1 if it failed. */
    int (*send)(void *generator, void *value, void **result);
    void *(*call)(void *function, void *arguments, void *names);
    void *(*item)(void *tuple, int64_t place);
    void *(*no_memory)(void);
    void (*take)(void *object);
    void (*drop)(void *object);
    void *generator_kind, *none;
};

static struct calls calls;

EXPORT void use_calls(const struct calls *given) {
    calls = *given;
}

struct waiting {
    void **generators;
    int64_t count, room;
};

/* Takes over a reference; returns 0 if there is no memory. */
static int wait_for(struct waiting *waiting, void *generator) {
    if (waiting->count == waiting->room) {
        const int64_t room = waiting->room ? 2 * waiting->room : 64;
        void **more = realloc(waiting->generators, room * sizeof *more);
        if (!more) {
            calls.drop(generator);
            calls.no_memory();
            return 0;
        }
        waiting->generators = more, waiting->room = room;
    }
    waiting->generators[waiting->count++] = generator;
    return 1;
}

/* Makes the call that a generator yielded. If the result is a generator, it is the next to run. Returns 0 if it
 * failed. */
static int call_asked(struct waiting *waiting, void *asked, void **value) {
    void *made = calls.call(calls.item(asked, 0), calls.item(asked, 1), 0);
    calls.drop(asked);
    if (!made)
        return 0;
    if (((void **)made)[1] != calls.generator_kind) {
        *value = made;
        return 1;
    }
    calls.take(calls.none);
    *value = calls.none;
    return wait_for(waiting, made);
}

/* Runs the generator `given[0]` and returns its value. The generator yields the calls (function, arguments) that it
 * waits for. The signature is that of CPython's `METH_FASTCALL`. */
EXPORT void *run_calls(void *self, void *const *given, int64_t count) {
    (void)self, (void)count;
    struct waiting waiting = {0};
    void *value = calls.none;
    calls.take(given[0]);
    calls.take(value);
    int good = wait_for(&waiting, given[0]);
    while (good && waiting.count) {
        void *result = 0;
        const int how = calls.send(waiting.generators[waiting.count - 1], value, &result);
        calls.drop(value);
        value = 0;
        if (how == 0) {
            calls.drop(waiting.generators[--waiting.count]);
            value = result;
        } else
            good = how > 0 && call_asked(&waiting, result, &value);
    }
    if (!good) {
        if (value)
            calls.drop(value);
        value = 0;
        /* Waiting generators are released from the last to the first, in the order of Python's list. */
        while (waiting.count)
            calls.drop(waiting.generators[--waiting.count]);
    }
    free(waiting.generators);
    return value;
}
