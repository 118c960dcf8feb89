// Precompiled for the tests of what needs the standard library alone.
#pragma once

#include <gtest/gtest.h>

#include "standard.h"
