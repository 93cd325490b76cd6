/* Calls of oneDNN from compiled programs, which pass the addresses of oneDNN's functions. */

struct primitive_step {
    void *primitive;
    int64_t count;
    const void *arguments;
};

/* `Program` of framework/kernels/onednn/execution.py. */
struct primitive_program {
    int (*point)(void *memory, void *address);
    int (*execute)(void *primitive, void *stream, int count, const void *arguments);
    void (*set_threads)(int threads);
    void *stream, **outside, **inside;
    /* The offsets in bytes of intermediate memories in the scratch space. */
    const int64_t *offset;
    const struct primitive_step *step;
    int64_t insides, steps, threads, busy;
};

static int run_steps(const struct primitive_program *program, void *const *given, char *room) {
    for (int i = 0; i < 3; i++)
        if (program->point(program->outside[i], given[i]))
            return 0;
    for (int64_t i = 0; i < program->insides; i++)
        if (program->point(program->inside[i], room + program->offset[i]))
            return 0;
    program->set_threads(program->threads);
    for (int64_t i = 0; i < program->steps; i++) {
        const struct primitive_step *step = program->step + i;
        if (program->execute(step->primitive, program->stream, step->count, step->arguments))
            return 0;
    }
    return 1;
}

/* Runs it with scratch space, one caller at a time; returns 0 if oneDNN failed. */
EXPORT int run_program(struct primitive_program *program, void *one, void *other, void *made, void *room) {
    void *const given[] = {one, other, made};
    while (__atomic_exchange_n(&program->busy, 1, __ATOMIC_ACQUIRE))
        sched_yield();
    const int done = run_steps(program, given, room);
    __atomic_store_n(&program->busy, 0, __ATOMIC_RELEASE);
    return done;
}

struct gemm {
    int (*sgemm)(char turn_a, char turn_b, int64_t rows, int64_t columns, int64_t inner, float alpha, const float *a,
                 int64_t a_next, const float *b, int64_t b_next, float beta, float *c, int64_t c_next);
    void (*set_threads)(int threads);
    int64_t turn_a, turn_b, rows, columns, inner, a_next, b_next, c_next, threads;
};

/* Returns 0 if it failed. */
EXPORT int run_gemm(const struct gemm *p, const float *a, const float *b, float *c) {
    p->set_threads(p->threads);
    return !p->sgemm(p->turn_a, p->turn_b, p->rows, p->columns, p->inner, 1, a, p->a_next, b, p->b_next, 0, c, p->c_next);
}

struct cblas {
    void (*sgemm)(int order, int turn_a, int turn_b, int64_t rows, int64_t columns, int64_t inner, float alpha,
                  const float *a, int64_t a_next, const float *b, int64_t b_next, float beta, float *c, int64_t c_next);
    int64_t turn_a, turn_b, rows, columns, inner, a_next, b_next, c_next;
};

/* Products of batches of matrices; `_apart` is the distance of two matrices in elements. 101 means row-major. */
EXPORT void run_cblas(const struct cblas *p, const float *a, const float *b, float *c, int64_t count, int64_t a_apart,
                      int64_t b_apart, int64_t c_apart) {
    for (int64_t i = 0; i < count; i++)
        p->sgemm(101, p->turn_a, p->turn_b, p->rows, p->columns, p->inner, 1, a + i * a_apart, p->a_next,
                 b + i * b_apart, p->b_next, 0, c + i * c_apart, p->c_next);
}
