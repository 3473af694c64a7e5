internal import Foundation
public import ORMStorage
internal import ORMValues

/// A kind of store that can be opened by a location: each backend declares its own.
public struct StoreKind: Sendable {
  /// The word before the colon of a location, such as `sqlite`.
  public let scheme: String
  /// Other words for ``scheme`` that are read, such as `postgresql`.
  public let otherSchemes: [String]
  /// The extension of the names of its files, without the dot.
  public let fileExtension: String
  /// True if a location may leave the path out.
  public let isPathOptional: Bool
  /// True if a path is that of a file; false if it names a store on a server.
  public let hasFiles: Bool
  /// True if the commits of a store of this kind survive the end of the process.
  public let isDurable: Bool
  /// Opens a store of this kind; without a schema, with the one the file holds.
  public let open: @Sendable (String?, Schema?, StoreOptions) throws -> any Store
  /// Replaces the file at the first path by a copy of the second; nil for a kind that cannot.
  ///
  /// The closure is called once no other connection has the file open and the copy is complete.
  public let restore: (@Sendable (String, String, () throws -> Void) throws -> Void)?

  /// Returns a path as it is shown, without secrets.
  public let shown: @Sendable (String) -> String

  /// Declares a kind.
  ///
  /// - Parameters:
  ///   - scheme: the word before the colon of a location.
  ///   - otherSchemes: other words for it that are read.
  ///   - fileExtension: the extension of the names of its files, without the dot.
  ///   - isPathOptional: true if a location may leave the path out.
  ///   - hasFiles: true if a path is that of a file.
  ///   - isDurable: true if commits survive the end of the process.
  ///   - shown: returns a path as it is shown, without a password.
  ///   - restore: replaces the file at the first path by a copy of the second, at once, and calls the
  ///     closure before.
  ///   - open: opens a store.
  public init(
    scheme: String, otherSchemes: [String] = [], fileExtension: String,
    isPathOptional: Bool = false,
    hasFiles: Bool = true,
    isDurable: Bool = true,
    shown: @escaping @Sendable (String) -> String = { $0 },
    restore: (@Sendable (String, String, () throws -> Void) throws -> Void)? = nil,
    open: @escaping @Sendable (String?, Schema?, StoreOptions) throws -> any Store
  ) {
    self.scheme = scheme
    self.otherSchemes = otherSchemes
    self.fileExtension = fileExtension
    self.isPathOptional = isPathOptional
    self.hasFiles = hasFiles
    self.isDurable = isDurable
    self.shown = shown
    self.open = open
    self.restore = restore
  }

  /// Returns whether locations of this kind begin with a word.
  public func isNamed(_ word: some StringProtocol) -> Bool {
    scheme == word || otherSchemes.contains { $0 == word }
  }
}

extension StoreKind: Hashable, CustomStringConvertible {
  /// The name of the kind: its ``scheme``.
  public var description: String { scheme }

  /// Returns whether two kinds have one ``scheme``, and so read the same locations.
  public static func == (a: StoreKind, b: StoreKind) -> Bool { a.scheme == b.scheme }

  /// Feeds the ``scheme``.
  public func hash(into hasher: inout Hasher) { hasher.combine(scheme) }
}

/// The kind of a store and the path of its file: `sqlite:snacks.sqlite`, `lmdb:snacks.lmdb`,
/// `memory:`.
///
/// ```swift
/// let location = StoreLocation.sqlite(path: "snacks.sqlite")
/// let store = try location.open(schema: schema)
/// ```
public struct StoreLocation: Sendable, CustomStringConvertible, CustomReflectable {
  /// The kind of store.
  public let kind: StoreKind
  /// The path of its file; nil for a store without one.
  public let path: String?

  /// The path of its file; nil for a store in memory alone, or on a server.
  public var file: String? { kind.hasFiles ? path : nil }

  /// Reads a location.
  ///
  /// ```swift
  /// let location = try StoreLocation("sqlite:snacks.sqlite", among: [.sqlite, .lmdb, .memory])
  /// ```
  ///
  /// - Throws: `invalidLocation`, naming the kinds there are. Of a location of an unknown kind, only the
  ///   part before the colon is quoted, since the rest may hold a password.
  public init(_ text: String, among kinds: [StoreKind]) throws {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let kind = kinds.first(where: { $0.isNamed(parts[0]) }) else {
      let known = kinds.map { $0.scheme + ":" }.joined(separator: ", ")
      let quoted = parts.count == 2 ? parts[0] + ":…" : parts[0]
      throw StoreError(
        .invalidLocation,
        "'\(quoted)' is not the location of a store; a location begins with one of \(known)")
    }
    var path = String(parts[1])
    if path.hasPrefix("//") { path.removeFirst(2) }
    guard !path.isEmpty || kind.isPathOptional else {
      throw StoreError(.invalidLocation, "'\(text)' lacks the path of a file")
    }
    self.kind = kind
    self.path = path.isEmpty ? nil : path
  }

  /// A store in a file at this path.
  ///
  /// ```swift
  /// let location = StoreLocation(kind: .sqlite, path: "snacks.sqlite")
  /// ```
  public init(kind: StoreKind, path: String?) {
    self.kind = kind
    self.path = path
  }

  /// A store of this name in the platform's data folder, in a folder named after the program:
  /// below `XDG_DATA_HOME` (`~/.local/share` unless set) on Linux.
  ///
  /// ```swift
  /// let location = StoreLocation(kind: .sqlite, named: "App")
  /// ```
  public init(kind: StoreKind, named name: String = "default") {
    self.kind = kind
    let environment = ProcessInfo.processInfo.environment
    func absolute(_ name: String) -> String? {
      environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let home =
      absolute("XDG_DATA_HOME") ?? (absolute("HOME") ?? NSHomeDirectory()) + "/.local/share"
    let program = ProcessInfo.processInfo.processName
    path = "\(home)/\(program)/\(name).\(kind.fileExtension)"
  }

  /// Opens the store, or makes it where there is none; without a schema, with the one it holds.
  ///
  /// ```swift
  /// let store = try StoreLocation.memory.open(schema: schema)
  /// ```
  public func open(
    schema: Schema? = nil, options: StoreOptions = StoreOptions()
  ) throws -> any Store {
    try kind.open(path, schema, options)
  }

  /// The location as it is read, but without secrets.
  public var description: String { "\(kind.scheme):\(path.map(kind.shown) ?? "")" }

  /// A mirror of ``description``, for `dump` and debuggers.
  public var customMirror: Mirror { Mirror(self, children: ["location": description]) }
}
