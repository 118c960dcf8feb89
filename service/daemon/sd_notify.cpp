#include "service/daemon/sd_notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/descriptors.h"
#include "base/text.h"

namespace sluice {

ServiceManager ServiceManager::from_environment() {
  return ServiceManager(environment_text("NOTIFY_SOCKET"));
}

void ServiceManager::draining(std::string_view status, Duration extension) const {
  const auto more = std::chrono::duration_cast<std::chrono::microseconds>(extension);
  send("STOPPING=1\nSTATUS=" + std::string(status) +
       "\nEXTEND_TIMEOUT_USEC=" + std::to_string(more.count()));
}

void ServiceManager::reloading() const {
  const auto now =
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch());
  send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(now.count()));
}

void ServiceManager::send(std::string_view message) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (address_.empty() || address_.size() >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, address_.data(), address_.size());
  if (address_.front() == '@') address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
  const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sendto(socket.get(), message.data(), message.size(), MSG_NOSIGNAL,
         reinterpret_cast<const sockaddr*>(&address), size);
}

std::optional<Duration> watchdog_period() {
  const auto number = [](const char* name) -> std::optional<std::int64_t> {
    const char* text = std::getenv(name);
    std::int64_t value = 0;
    if (!text || std::from_chars(text, text + std::strlen(text), value).ec != std::errc{}) {
      return std::nullopt;
    }
    return value;
  };
  const auto period = number("WATCHDOG_USEC");
  const auto process = number("WATCHDOG_PID");
  if (!period || *period <= 0 || (process && *process != getpid())) return std::nullopt;
  return std::chrono::microseconds(*period) / 2;
}

}  // namespace sluice
