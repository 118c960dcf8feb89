// Boost.JSON's sources, compiled here once; other sources include only its declarations.
#include <boost/json/src.hpp>
