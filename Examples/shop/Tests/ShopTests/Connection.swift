import Foundation

/// A connection of HTTP/1.1 that shows whether an answer came whole.
///
/// Its calls block, so each connection is used on a thread of its own.
final class Connection {
  enum Answer: Equatable {
    case whole(status: Int, body: String)
    /// The connection ended before the first byte.
    case none
    /// The connection ended inside of the answer.
    case cut
  }

  private let socket: Int32
  private var received: [UInt8] = []

  /// Connects to a port of this machine; nil if nothing listens there.
  ///
  /// - Parameter buffer: the bytes that the system keeps while nothing is read.
  init?(port: Int, buffer: Int32? = nil) {
    socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if var buffer {
      setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &buffer, socklen_t(MemoryLayout<Int32>.size))
    }
    // A server that never answers fails a test, and does not hang it.
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { return nil }
  }

  deinit { close(socket) }

  /// Sends a request; returns false if the connection has ended.
  func send(_ method: String, _ path: String, _ body: String = "") -> Bool {
    let text =
      "\(method) \(path) HTTP/1.1\r\nhost: localhost\r\ncontent-length: \(body.utf8.count)\r\n\r\n"
      + body
    let bytes = Array(text.utf8)
    return Foundation.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// Reads until there are at least as many bytes.
  ///
  /// Returns false if the connection ends before.
  func read(_ count: Int) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while received.count < count {
      let read = recv(socket, &bytes, bytes.count, 0)
      guard read > 0 else { return false }
      received += bytes[..<read]
    }
    return true
  }

  /// Reads the answer to the next request.
  func answer() -> Answer {
    guard let head = line(upTo: "\r\n\r\n") else { return received.isEmpty ? .none : .cut }
    let lines = head.components(separatedBy: "\r\n")
    guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      return .cut
    }
    var length = 0
    for line in lines.dropFirst() {
      let parts = line.lowercased().components(separatedBy: ": ")
      if parts == ["transfer-encoding", "chunked"] {
        guard let body = chunks() else { return .cut }
        return .whole(status: status, body: body)
      }
      if parts[0] == "content-length" { length = Int(parts[1]) ?? 0 }
    }
    guard let body = take(length) else { return .cut }
    return .whole(status: status, body: body)
  }

  private func chunks() -> String? {
    var body = ""
    while let size = line(upTo: "\r\n").flatMap({ Int($0, radix: 16) }) {
      guard let chunk = take(size + 2) else { return nil }
      if size == 0 { return body }
      body += chunk.dropLast()  // the line end is one character
    }
    return nil
  }

  private func take(_ count: Int) -> String? {
    guard read(count) else { return nil }
    defer { received.removeFirst(count) }
    return String(decoding: received[..<count], as: UTF8.self)
  }

  private func line(upTo end: String) -> String? {
    let end = Array(end.utf8)
    var start = 0
    while true {
      while start + end.count <= received.count {
        if received[start..<(start + end.count)].elementsEqual(end) {
          defer { received.removeFirst(start + end.count) }
          return String(decoding: received[..<start], as: UTF8.self)
        }
        start += 1
      }
      guard read(received.count + 1) else { return nil }
    }
  }
}
