#pragma once

/// The names of CLI11, for headers: its own header takes long to compile.
namespace CLI {
class App;
class Option;
class ParseError;
}  // namespace CLI
