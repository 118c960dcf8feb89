#include "peer_process.h"

#include <grp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <sstream>
#include <stdexcept>

namespace sluice::testing {
namespace {

constexpr std::size_t kMostBytes = 100'000;

bool become(uid_t user, gid_t group, const std::vector<gid_t>& groups) {
  return setgroups(groups.size(), groups.data()) == 0 && setresgid(group, group, group) == 0 &&
         setresuid(user, user, user) == 0;
}

ClientReply answer(Client& client, std::istringstream& request) {
  std::string method, target, body;
  std::getline(request, method);
  std::getline(request, target);
  std::getline(request, body);
  auto result = client.call(method, target, body);
  if (auto* problem = std::get_if<std::string>(&result)) return {0, *problem};
  return std::get<ClientReply>(result);
}

ClientReply carry_out(const std::string& order, std::vector<Client>& staying) {
  std::istringstream request(order);
  std::string how, socket;
  std::getline(request, how);
  std::getline(request, socket);
  auto connected = Client::connect(socket);
  if (auto* problem = std::get_if<std::string>(&connected)) return {0, *problem};
  Client& client = std::get<Client>(connected);
  const ClientReply reply = answer(client, request);
  if (how == "stay") staying.push_back(std::move(client));
  return reply;
}

[[noreturn]] void serve(int connection) {
  std::vector<Client> staying;
  std::string order(kMostBytes, '\0');
  while (true) {
    const ssize_t got = recv(connection, order.data(), order.size(), 0);
    if (got <= 0) _exit(0);
    const ClientReply reply = carry_out(order.substr(0, static_cast<std::size_t>(got)), staying);
    const std::string text = std::to_string(reply.status) + "\n" + reply.body;
    send(connection, text.data(), text.size(), MSG_NOSIGNAL);
  }
}

}  // namespace

PeerProcess::PeerProcess(uid_t user, gid_t group, const std::vector<gid_t>& further_groups) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::runtime_error("no socket pair");
  }
  pid_ = fork();
  if (pid_ == 0) {
    close(ends[0]);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!become(user, group, further_groups)) _exit(1);
    serve(ends[1]);
  }
  close(ends[1]);
  connection_ = ends[0];
}

PeerProcess::~PeerProcess() {
  kill(pid_, SIGKILL);
  close(connection_);
  waitpid(pid_, nullptr, 0);
}

ClientReply PeerProcess::tell(const std::string& line) const {
  send(connection_, line.data(), line.size(), MSG_NOSIGNAL);
  std::string text(kMostBytes, '\0');
  const ssize_t got = recv(connection_, text.data(), text.size(), 0);
  if (got <= 0) return {0, "the peer is gone"};
  text.resize(static_cast<std::size_t>(got));
  const std::size_t end = text.find('\n');
  return {std::stoi(text.substr(0, end)), text.substr(end + 1)};
}

ClientReply PeerProcess::ask(const std::string& socket, const std::string& method,
                             const std::string& target, const std::string& body) const {
  return tell("once\n" + socket + "\n" + method + "\n" + target + "\n" + body);
}

ClientReply PeerProcess::ask_and_stay(const std::string& socket, const std::string& method,
                                      const std::string& target) const {
  return tell("stay\n" + socket + "\n" + method + "\n" + target + "\n");
}

}  // namespace sluice::testing
