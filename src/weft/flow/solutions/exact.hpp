#pragma once
/// Exact solutions of the Euler equations, for initial states and for measurements of errors.
#include "weft/flow/solutions/exact_fields.hpp"
#include "weft/flow/solutions/manufactured.hpp"
#include "weft/flow/solutions/riemann.hpp"
#include "weft/flow/solutions/ringleb.hpp"
#include "weft/flow/solutions/shock_relations.hpp"
