#pragma once
/// Exact solutions of the Euler equations: what the solver starts from, and what it is measured against.
#include "weft/flow/exact_fields.hpp"
#include "weft/flow/manufactured.hpp"
#include "weft/flow/riemann.hpp"
#include "weft/flow/ringleb.hpp"
#include "weft/flow/shock_relations.hpp"
