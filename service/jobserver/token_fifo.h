#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <variant>

namespace sluice {

/// The fifo of one jobserver client, with one byte for each token that nobody holds. It lies in a
/// folder of its own, in which nobody but this process's user can put anything (0700; where the
/// fifo is another user's, 0711), is readable and writable for its owner alone (0600) and is held
/// open for reading and writing as long as this lives: so that no client ever waits for the other
/// end, reads its end, or loses the bytes of an hour in which nobody had it open. Both are removed
/// in the end.
class TokenFifo {
 public:
  /// Who may use it besides the super-user; none: this process's user.
  using Owner = std::optional<uid_t>;

  /// In `folder`, or in $XDG_RUNTIME_DIR, or else in the folder for temporary files. What is wrong
  /// otherwise.
  static std::variant<TokenFifo, std::string> make(const std::string& folder = {},
                                                   const Owner& owner = {});

  TokenFifo(TokenFifo&& other) noexcept;
  TokenFifo& operator=(TokenFifo&&) = delete;
  ~TokenFifo();

  const std::string& path() const { return path_; }
  /// Readable while there are idle tokens.
  int descriptor() const { return descriptor_; }

  /// Adds tokens; how many went in (a fifo has room for 65536).
  std::size_t put(std::size_t tokens) const;
  /// Takes out at most so many of those that lie there; never waits.
  std::size_t take(std::size_t most) const;
  std::size_t idle() const;

 private:
  TokenFifo(std::string folder, int lock, int descriptor);

  std::string folder_, path_;
  int lock_;  ///< Held as long as this process lives: see `sweep_token_fifos`.
  int descriptor_;
};

/// Removes what processes left behind that were killed; how many fifos. `folder` as above.
std::size_t sweep_token_fifos(const std::string& folder = {});

}  // namespace sluice
