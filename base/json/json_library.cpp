// Boost.JSON's sources, compiled here once; everybody else includes its declarations only.
#include <boost/json/src.hpp>
