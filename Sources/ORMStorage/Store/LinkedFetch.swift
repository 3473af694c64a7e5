/// A request for the rows to which the rows of an earlier request lead, all of them at once.
///
/// It is stated as a template: the values that select its rows are those of the earlier request's rows, which
/// have not been read yet. For the players of the teams of a page, the template asks for players.
/// ``parentAttributes`` is the key of a team, and ``attributes`` is the attribute of a player that holds it.
public struct LinkedRequest: Hashable, Sendable {
  /// The request without the condition on ``attributes``; it has no page.
  public var request: FetchRequest
  /// The position of the earlier request in its ``LinkedFetch``, where 0 is the page.
  public var parent: Int
  /// The attributes of the earlier request's rows whose values are looked for.
  ///
  /// If its output is ``FetchShape/Output/joined(_:_:)``, they are attributes of the rows that it leads to.
  public var parentAttributes: [String]
  /// The attributes of the request's own entity that equal them, in the same order; null equals nothing.
  public var attributes: [String]

  /// Makes a request of its template and its link.
  public init(
    _ request: FetchRequest, parent: Int, parentAttributes: [String], attributes: [String]
  ) {
    self.request = request
    self.parent = parent
    self.parentAttributes = parentAttributes
    self.attributes = attributes
  }
}

/// A reader that saves time by reading a page together with the rows to which it leads.
///
/// A store on a server saves trips so. Core asks other readers for one request after another.
public protocol LinkedReading: StoreReader {
  /// Returns a fetch of a page together with the rows to which it leads; nil if the caller is to send one
  /// request after another.
  ///
  /// - Parameters:
  ///   - page: the request for the page, which is small: core asks for at most 2,000 rows.
  ///   - linked: makes the linked requests, each after the one that leads to it; called only by a store that
  ///     answers such fetches. Without any, there is nothing to save.
  func linkedFetch(
    of page: FetchRequest, _ linked: () throws -> [LinkedRequest]
  ) throws -> (any LinkedFetch)?
}

/// A page and the rows to which it leads, which a store reads together.
///
/// The page has the position 0, and linked requests follow in their order. All rows are of the reader's
/// snapshot. The page is visited first, and nothing is written before ``end()``.
public protocol LinkedFetch: AnyObject {
  /// Visits the rows of the page or of a linked request, in the request's order.
  func visit<V: RowVisitor>(_ position: Int, _ visitor: inout V) throws
  /// Returns whether a linked request is answered; asked for after the page was visited.
  ///
  /// The caller sends a request that is not answered by itself, and those that follow from it.
  func answers(_ position: Int) -> Bool
  /// Ends the fetch; safe to call twice. It ends at the latest with its reader.
  func end()
}
