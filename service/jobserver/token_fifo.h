#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "base/descriptors.h"

namespace sluice::jobserver {

/// The fifo of one jobserver client, with one byte per idle token. Only its owner may read and
/// write it (0600). It has its own folder, in which only this process's user can create anything
/// (0700, or 0711 if the fifo belongs to another user). It stays open for reading and writing as
/// long as this exists, so that no client ever waits for the other end, reads end of file, or loses
/// bytes while nobody else has it open. The destructor removes both.
class TokenFifo {
 public:
  /// The user that may use it besides root; nullopt for this process's user.
  using Owner = std::optional<uid_t>;

  /// Creates it in `folder`. If that is empty, in $XDG_RUNTIME_DIR if that is this user's, or else
  /// in the folder for temporary files, or else in /tmp: in the first whose path make can read. On
  /// failure, returns the problem, such as a `folder` that make cannot read: any other may be out
  /// of reach of the client.
  static std::variant<TokenFifo, std::string> make(const std::string& folder = {},
                                                   const Owner& owner = {});

  TokenFifo(TokenFifo&& other) noexcept
      : folder_(std::exchange(other.folder_, {})),
        path_(std::move(other.path_)),
        lock_(std::move(other.lock_)),
        fifo_(std::move(other.fifo_)) {}
  TokenFifo& operator=(TokenFifo&&) = delete;
  ~TokenFifo();

  const std::string& path() const { return path_; }
  /// Readable while there are idle tokens.
  int descriptor() const { return fifo_.get(); }

  /// Adds tokens; returns how many fit (a fifo holds 65536).
  std::size_t put(std::size_t tokens) const;
  /// Removes at most `most` idle tokens and returns how many; never blocks.
  std::size_t take_tokens(std::size_t most) const;
  std::size_t idle() const;

 private:
  TokenFifo(std::string folder, Descriptor lock, Descriptor fifo);

  std::string folder_, path_;
  Descriptor lock_;  ///< Held as long as this process lives: see `sweep_token_fifos`.
  Descriptor fifo_;
};

/// Removes what killed processes left behind and nobody reads; returns the number of fifos.
/// `folder` as above.
std::size_t sweep_token_fifos(const std::string& folder = {});

}  // namespace sluice::jobserver
