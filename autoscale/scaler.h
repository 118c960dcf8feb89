#pragma once

#include <string>
#include <vector>

namespace sluice {

/// A scaler's answer to an order. It may be wrong: only later observations count.
struct ScalerReply {
  std::vector<std::string> done;  ///< The names for which it succeeded, in order.
  std::string problem;            ///< Why not all of them; empty if all.
  /// Names for which it may have succeeded: it was cut off before it could tell.
  std::vector<std::string> unsure = {};
};

/// Those of some drained executors that can certainly be removed without removing any other.
struct Removable {
  std::vector<std::string> ids;
  std::string reason;  ///< Why not all of them; empty if all.
};

/// Makes and removes executors. Each call takes a bounded time. Use it on one thread.
class Scaler {
 public:
  virtual ~Scaler() = default;

  virtual ScalerReply add(const std::vector<std::string>& names) = 0;
  /// Called before executors are drained, and again by `remove`.
  virtual Removable removable(const std::vector<std::string>& ids) = 0;
  /// `one_by_one`: the controller queries each executor again right before its own removal.
  /// `together`: it queries all of them, then removes all with one order.
  enum class Removes { one_by_one, together };
  virtual Removes removes() const = 0;
  virtual ScalerReply remove(const std::vector<std::string>& ids) = 0;
  /// Cancels their removal.
  virtual void cancel_removal(const std::vector<std::string>& ids) = 0;
};

}  // namespace sluice
