import ORMCore
import SQLEngine
import Synchronization

/// The last commit of a table store, as the bytes of a database.
///
/// It outlives the store, which can be opened on it again.
public final class TableImage: Sendable {
  /// One commit.
  struct Commit: Sendable {
    /// The number of commits up to this one; 0 for none.
    var number: UInt64 = 0
    /// The database; empty without a commit.
    var bytes: [UInt8] = []
  }

  private struct State {
    var commit = Commit()
    var isOpen = false
  }

  private let state = Mutex(State())

  /// Makes an empty image.
  public init() {}

  /// True while a store is open on the image.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// The newest commit.
  var commit: Commit { state.withLock { $0.commit } }

  /// Makes the bytes the newest commit, and returns its number.
  func publish(_ bytes: [UInt8]) -> UInt64 {
    state.withLock { state in
      state.commit = Commit(number: state.commit.number + 1, bytes: bytes)
      return state.commit.number
    }
  }

  /// Takes the image for one store.
  func open() throws {
    try state.withLock { state in
      if state.isOpen { throw StoreError(.alreadyOpen, "the image belongs to an open store") }
      state.isOpen = true
    }
  }

  /// Frees the image for the next store.
  func close() { state.withLock { $0.isOpen = false } }
}

/// An image as a database of the SQL engine.
///
/// Every connection has a database of its own in memory. That of the writer is written to, and
/// becomes the image with each commit; those of readers are copies of the image, made anew where a
/// read begins after a commit.
final class TableDatabase: SQLDatabase {
  private let image: TableImage

  init(_ image: TableImage) { self.image = image }

  var dialect: any SQLDialect { TableDialect() }

  func reader() throws -> any SQLConnection { try TableConnection(image) }

  func writer() throws -> any SQLConnection { try TableConnection(image) }
}
