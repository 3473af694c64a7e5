public import ORMStorage

/// A position in the history of a store, right after a commit.
///
/// ```swift
/// let token = try store.historyToken
/// let text = token.description                         // such as 1f0c52ee91b7a4d3-128-9a3e07c4
/// let sets = try store.history(after: HistoryToken(text))
/// ```
///
/// A token is a value of a few bytes. It holds nothing in the store, and may be stored anywhere.
public struct HistoryToken: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The number by which the store is known.
  package let store: Int64
  /// The number of the commit after which the token is; 0 before the first.
  package let number: UInt64

  package init(store: Int64, number: UInt64) {
    self.store = store
    self.number = number
  }

  /// Reads a token from its text.
  ///
  /// ```swift
  /// let token = try HistoryToken("1f0c52ee91b7a4d3-128-9a3e07c4")
  /// ```
  ///
  /// - Throws: `invalidToken` for a text that is no token, or only a part of one.
  public init(_ text: String) throws {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let store = Int64(parts[0], radix: 16),
      let number = UInt64(parts[1])
    else { throw Self.invalid(text) }
    self.init(store: store, number: number)
    guard text == description else { throw Self.invalid(text) }
  }

  private static func invalid(_ text: String) -> StoreError {
    StoreError(
      .invalidToken, "\"\(text.prefix(60))\" is no token of a history, or a damaged one",
      values: [.string(text)])
  }

  /// The text of the token.
  public var description: String {
    let start = "\(Self.hex(UInt64(bitPattern: store), 16))-\(number)"
    var bytes = Array(start.utf8)
    let check = bytes.withUnsafeMutableBytes { XXHash64.hash(UnsafeRawBufferPointer($0)) }
    return "\(start)-\(Self.hex(check & 0xFFFF_FFFF, 8))"
  }

  private static func hex(_ number: UInt64, _ width: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// Reads a token from its text.
  ///
  /// - Throws: `invalidToken`.
  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the text of the token.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension StoreError {
  /// The oldest token from which the history can be read, of a `historyTruncated`; else nil.
  ///
  /// ```swift
  /// do { sets = try store.history(after: token) } catch let error as StoreError {
  ///   print(error.oldestHistoryToken ?? "none")
  /// }
  /// ```
  public var oldestHistoryToken: HistoryToken? {
    guard code == .historyTruncated, case .string(let text)? = values.first else { return nil }
    return try? HistoryToken(text)
  }
}
