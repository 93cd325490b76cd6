/* Loops of the training core over Float32 arrays whose rows lie one behind the other: pooling, softmax, normalization.
 *
 * Called from library.py, which checks types, shapes and layouts; the same in numpy is in ../pooling.py, ../normalization.py
 * and ../softmax.py, and the tests hold both against each other in Float64.
 */

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "spread.h"

#include "pooling.h"

#include "channels.h"
#include "rows.h"
#include "statistics.h"

#ifndef SOURCE
#define SOURCE ""
#endif

/* Names the source that the library was made from. */
EXPORT const char *loops_source(void) {
    return "loops.c " SOURCE;
}
