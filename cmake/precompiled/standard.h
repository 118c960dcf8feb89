// Precompiled for every target: the standard headers that most sources read. It only saves time;
// a source includes what it uses, which the plain build of ./test lint checks.
#pragma once
