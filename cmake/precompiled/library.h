// Precompiled for the modules of the library, which are position-independent code.
#pragma once

#include "standard.h"
