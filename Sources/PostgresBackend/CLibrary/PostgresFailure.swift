internal import CPostgres
package import ORMStorage

/// Failures of the server and of the library as errors of a store.
package enum PostgresFailure {
  /// The error of a result that failed.
  static func error(_ result: PostgresResult) -> StoreError {
    func field(_ code: Int32) -> String? {
      PQresultErrorField(result.pointer, code).map { String(cString: $0) }
    }
    guard let state = field(Int32(UInt8(ascii: "C"))), state.utf8.count == 5 else {
      return lost()
    }
    // The first sentence of the server names tables and columns; those about data repeat the values.
    var message = "PostgreSQL error \(state)"
    let text = field(Int32(UInt8(ascii: "M")))
    if !state.hasPrefix("22"), let text { message += ": \(text)" }
    let code = text.map { isCatalogueConflict(state, $0) } == true ? .contended : code(state)
    return StoreError(code, message, engineCode: Int(state, radix: 36))
  }

  /// True if another session has changed a row of the server's catalogue meanwhile.
  ///
  /// A concurrent build of an index releases its lock of the table before its last commit. A change of
  /// the table may then meet rows of the catalogue that are not committed yet. The server has no state of
  /// its own for that, and does not translate the text of internal errors.
  private static func isCatalogueConflict(_ state: String, _ text: String) -> Bool {
    state == "XX000" && text.hasPrefix("tuple concurrently ")
  }

  /// The namespace and the table of which the error of a result speaks.
  static func table(_ result: PostgresResult) -> (namespace: String, name: String)? {
    guard let space = PQresultErrorField(result.pointer, Int32(UInt8(ascii: "s"))),
      let name = PQresultErrorField(result.pointer, Int32(UInt8(ascii: "t")))
    else { return nil }
    return (String(cString: space), String(cString: name))
  }

  /// The SQLSTATE, as a number, of a server that no connection reaches.
  static let unreachable = Int("08001", radix: 36)
  /// The SQLSTATE of a server that has no connection left.
  static let full = "53300"
  /// The SQLSTATE of a statement that has waited too long for a lock.
  static let lockTimeout = "55P03"
  /// The SQLSTATE of a server that is starting, recovering or shutting down.
  private static let starting = "57P03"

  /// True if an error says that no connection reaches the server, which a later attempt may.
  static func isUnreachable(_ error: StoreError) -> Bool {
    error.code == .busy || error.engineCode == unreachable
  }

  /// The error of a connection that could not be made.
  ///
  /// The server's language decides about all words of its messages, so that only SQLSTATEs are looked at.
  /// A message without one is of the library: it reached no server, or one that ended the connection or
  /// cannot prove its identity.
  ///
  /// - Parameters:
  ///   - location: the location, without a password.
  ///   - text: the library's message, with the server's in the verbose form. There are several where the
  ///     location names several hosts.
  package static func failedConnection(to location: String, _ text: String) -> StoreError {
    let states = text.matches(of: /:  ([0-9A-Z]{5})(?=: )/).map { String($0.1) }
    // The last line of a verbose message is a line of the server's own source.
    let lines = text.split(separator: "\n").filter { !$0.contains(/^\w+:  (\w+, )?\w+\.c:\d+$/) }
    let shown = lines.joined(separator: " ").replacing(#/:  [0-9A-Z]{5}: /#) { _ in ": " }
    let busy = states.first { $0 == full || $0 == starting }
    let isUnreachable = states.isEmpty || states.contains { $0.hasPrefix("57P") }
    return StoreError(
      busy == nil ? .cannotOpen : .busy, "\(location) cannot be opened: \(shown)",
      engineCode: busy.map { Int($0, radix: 36) }
        ?? (isUnreachable ? unreachable : states.first.flatMap { Int($0, radix: 36) }))
  }

  /// The error of a connection that ended.
  static func lost() -> StoreError {
    StoreError(.connectionLost, "the connection to the PostgreSQL server was lost")
  }

  /// True if an error says that a statement cannot be parsed, or names a missing object.
  static func isRefusal(_ error: StoreError) -> Bool {
    error.code == .engine && state(of: error).hasPrefix("42")
  }

  /// The SQLSTATE of an error; empty where it has none.
  static func state(of error: any Error) -> String {
    guard let code = (error as? StoreError)?.engineCode else { return "" }
    let text = String(code, radix: 36, uppercase: true)
    return String(repeating: "0", count: max(0, 5 - text.utf8.count)) + text
  }

  /// The code of a SQLSTATE, by appendix A of the server's manual.
  private static func code(_ state: String) -> StoreError.Code {
    switch state {
    case "23505": .duplicate
    case "23502": .missingValue
    case "23514", "22021", "22P02", "22P03": .invalidValue
    case "22003": .overflow
    case "40001", "40P01": .contended
    case lockTimeout, full, "57014", starting: .busy
    case "53100": .full
    case "25006", "42501": .readOnly
    case "54000", "54011": .tooLarge
    case "XX001", "XX002": .corrupt
    case "57P01", "57P02", "57P05", "25P03": .connectionLost
    case "3D000": .cannotOpen
    case "58030": .inputOutput
    default:
      switch state.prefix(2) {
      case "08": .connectionLost
      case "28": .cannotOpen
      default: .engine
      }
    }
  }
}
