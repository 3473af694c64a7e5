import Foundation
import ORMCore

/// A proxy between a program and a PostgreSQL server, both on Unix sockets: it can cut a connection after
/// a number of bytes, swallow what follows them or hold it up, stand still, delay, and count round trips.
package final class CuttingProxy: Sendable {
  /// A direction of the bytes.
  package enum Direction: Int, Sendable, CaseIterable { case request, answer }

  /// What happens to a connection after a number of bytes.
  package enum Fault: Sendable, CaseIterable {
    /// Both its ends are closed.
    case cut
    /// The program's end is closed, and the server's stays.
    case halve
    /// Nothing more passes in the direction, not even its end, and nothing is closed.
    case swallow
    /// The next bytes come a tenth of a second later.
    case delay
  }

  /// A folder with the socket, for the location of a store.
  package let folder: String
  private let upstream: String
  private let listener: Int32
  private let state = Lock(State())
  private let threads = DispatchGroup()

  private struct State {
    var isStopped = false
    var isPaused = false
    var refuses = false
    var refusesAfterCut = false
    var delay: UInt32 = 0
    /// The fault that is to come, its direction, and the bytes that pass before.
    var cut: (fault: Fault, direction: Direction, left: Int)?
    /// The number of times that all connections were cut or halved.
    var generation = 0
    /// The last number whose connections are halved instead of cut.
    var halved = -1
    /// The number of connections that were refused.
    var refusals = 0
    /// For each connection, the number of times before it was made.
    var open: [Int] = []
    var counts = [0, 0]
    var trips = 0
    var last = Direction.answer
  }

  /// Listens on a socket of its own.
  ///
  /// - Parameter upstream: the path of the server's socket.
  package init(to upstream: String) throws {
    self.upstream = upstream
    // A socket's path has 107 bytes at most.
    folder = "/tmp/proxy-" + UUID().uuidString.prefix(13)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    listener = UnixSocket.make()
    let isListening = UnixSocket.withAddress(folder + "/.s.PGSQL.5432") {
      bind(listener, $0, $1) == 0 && listen(listener, 64) == 0
    }
    guard isListening else { throw TestFailure("no socket in \(folder): \(errno)") }
    threads.enter()
    Thread.detachNewThread { [self] in
      serve()
      threads.leave()
    }
  }

  /// Ends every connection, and waits for it.
  package func stop() {
    state.withLock { $0.isStopped = true }
    threads.wait()
    close(listener)
    try? FileManager.default.removeItem(atPath: folder)
  }

  // MARK: Orders

  /// Cuts the connection on which the next `count` bytes of a direction have passed.
  ///
  /// - Parameters:
  ///   - count: the number of bytes that pass; with 0, the first one is held back.
  ///   - direction: the direction in which bytes are counted.
  ///   - refusing: true if no connection is possible afterwards.
  ///   - fault: the fault to cause instead of a cut.
  package func cut(
    after count: Int, of direction: Direction, refusing: Bool = false, as fault: Fault = .cut
  ) {
    state.withLock {
      $0.cut = (fault, direction, count)
      $0.refusesAfterCut = refusing
    }
  }

  /// Cuts every connection there is, and waits until that is done.
  ///
  /// Those that are made meanwhile stay: a store may ask the server about the ones that are lost.
  package func cutAll() throws {
    let next = state.withLock { state in
      state.generation += 1
      return state.generation
    }
    guard waited(for: { state.withLock { $0.open.allSatisfy { $0 >= next } } }) else {
      throw TestFailure("a connection of the proxy does not end")
    }
  }

  /// Closes the program's end of every connection there is; the server's ends stay.
  package func halveAll() {
    state.withLock { state in
      state.halved = state.generation
      state.generation += 1
    }
  }

  /// The number of connections that were refused so far.
  package var refusals: Int { state.withLock { $0.refusals } }

  /// The number of connections.
  package var connections: Int { state.withLock { $0.open.count } }

  /// Takes the order back, and returns true if nothing was cut.
  package func spare() -> Bool {
    state.withLock { state in
      defer { (state.cut, state.refuses) = (nil, false) }
      return state.cut != nil
    }
  }

  /// True if no fault is to come: the last one has, or was taken back.
  package var hasCut: Bool { state.withLock { $0.cut == nil } }

  /// True while nothing passes, and nothing is closed.
  package var isPaused: Bool {
    get { state.withLock { $0.isPaused } }
    set { state.withLock { $0.isPaused = newValue } }
  }

  /// The microseconds by which each piece is late.
  package var delay: UInt32 {
    get { state.withLock { $0.delay } }
    set { state.withLock { $0.delay = newValue } }
  }

  /// The number of times that an answer followed a request.
  package var trips: Int { state.withLock { $0.trips } }

  /// The bytes that have passed in a direction.
  package func count(of direction: Direction) -> Int {
    state.withLock { $0.counts[direction.rawValue] }
  }

  // MARK: Connections

  private func serve() {
    while !state.withLock({ $0.isStopped }) {
      var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 10) > 0 else { continue }
      let client = accept(listener, nil, nil)
      if client < 0 { continue }
      UnixSocket.keepFromChildren(client)
      let server = UnixSocket.make()
      let isOpen =
        !state.withLock { $0.refuses }
        && UnixSocket.withAddress(upstream) { connect(server, $0, $1) == 0 }
      guard isOpen else {
        state.withLock { $0.refusals += 1 }
        UnixSocket.end(client)
        UnixSocket.end(server)
        continue
      }
      threads.enter()
      let first = state.withLock { state in
        state.open.append(state.generation)
        return state.generation
      }
      Thread.detachNewThread { [self] in
        forward([client, server], first)
        UnixSocket.end(client)
        UnixSocket.end(server)
        state.withLock { state in
          if let index = state.open.firstIndex(of: first) { state.open.remove(at: index) }
        }
        threads.leave()
      }
    }
  }

  /// Forwards what comes from both ends, until all connections are cut that were made after `first` such
  /// orders.
  private func forward(_ ends: [Int32], _ first: Int) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var swallowed: Set<Direction> = []
    // Those that are polled; a negative descriptor is passed over.
    var polled = ends
    func halve() {
      shutdown(ends[0], Int32(SHUT_RDWR))
      polled[0] = -1
      swallowed = Set(Direction.allCases)
    }
    var number = first
    while true {
      let (isStopped, isPaused, delay, generation, halved) = state.withLock {
        ($0.isStopped, $0.isPaused, $0.delay, $0.generation, $0.halved)
      }
      if isStopped { return }
      if generation != number {
        guard number <= halved else { return }
        number = generation
        halve()
      }
      if isPaused {
        usleep(2_000)
        continue
      }
      var entries = polled.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&entries, 2, 10) > 0 else { continue }
      if state.withLock({ $0.isPaused }) { continue }
      for direction in Direction.allCases where entries[direction.rawValue].revents != 0 {
        let count = read(ends[direction.rawValue], &buffer, buffer.count)
        if count <= 0 {
          guard swallowed.contains(direction), direction == .request else { return }
          polled[direction.rawValue] = -1
          continue
        }
        if delay > 0 { usleep(delay) }
        if swallowed.contains(direction) { continue }
        let (passing, fault) = pass(count, direction)
        let end = ends[1 - direction.rawValue]
        guard send(buffer[..<passing], to: end) else { return }
        switch fault {
        case nil: break
        case .cut: return
        case .halve: halve()
        case .swallow: swallowed.insert(direction)
        case .delay:
          usleep(100_000)
          guard send(buffer[passing..<count], to: end) else { return }
        }
      }
    }
  }

  private func send(_ bytes: ArraySlice<UInt8>, to end: Int32) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let result = Foundation.send(
          end, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Self.noSignal)
        if result <= 0 { return false }
        sent += result
      }
      return true
    }
  }

  /// Returns how many of the bytes pass, and what happens to the connection after them.
  private func pass(_ count: Int, _ direction: Direction) -> (Int, Fault?) {
    state.withLock { state in
      if direction == .answer, state.last == .request { state.trips += 1 }
      state.last = direction
      state.counts[direction.rawValue] += count
      guard let cut = state.cut, cut.direction == direction else { return (count, nil) }
      if count < cut.left {
        state.cut = (cut.fault, direction, cut.left - count)
        return (count, nil)
      }
      state.cut = nil
      state.refuses = state.refusesAfterCut
      return (cut.left, cut.fault)
    }
  }

  // MARK: Sockets

  #if canImport(Darwin)
    private static let noSignal: Int32 = 0
  #else
    private static let noSignal = Int32(MSG_NOSIGNAL)
  #endif
}
