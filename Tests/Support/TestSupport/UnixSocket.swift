import Foundation

/// The calls for a stream socket at a path.
package enum UnixSocket {
  /// Makes a socket; negative if that fails.
  static func make() -> Int32 {
    #if canImport(Darwin)
      let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    keepFromChildren(descriptor)
    return descriptor
  }

  /// Closes a descriptor in each program that this one begins from now on.
  static func keepFromChildren(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  /// Ends a connection and closes its descriptor.
  ///
  /// A program that another test begins at this time may hold the descriptor, so that to close it here
  /// would not end the connection before that program has ended.
  static func end(_ descriptor: Int32) {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }

  /// Gives a path in the form that `bind` and `connect` take; 107 bytes of it count.
  static func withAddress<R>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
  ) -> R {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      for (place, byte) in path.utf8.prefix(bytes.count - 1).enumerated() { bytes[place] = byte }
    }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Returns true if a program listens at a path.
  ///
  /// The file of a socket is there before that.
  package static func accepts(_ path: String) -> Bool {
    let descriptor = make()
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return withAddress(path) { connect(descriptor, $0, $1) == 0 }
  }
}
