/// The elements of one iteration of a stream that were fetched and not handed out yet.
///
/// The iterators of streams are compiled where they are used: an element comes out of the batch
/// without a suspension and without a call of generic code, and only a batch costs a hop.
@usableFromInline
struct StreamElements<Element: Sendable> {
  private let feed: StreamFeed<Element>
  /// The elements that are left of the batch, the next one last: taking it moves it out.
  @usableFromInline var left: [Element] = []
  private var isAtEnd = false

  init(feed: StreamFeed<Element>) { self.feed = feed }

  /// Fetches the next batch, its elements in their order; empty at the end.
  @usableFromInline
  mutating func fetch() async throws -> [Element] {
    if isAtEnd { return [] }
    try Task.checkCancellation()
    let batch = try await feed.nextBatch()
    isAtEnd = batch.isLast
    return batch.rows
  }

  /// The next element; nil at the end.
  @inlinable @inline(__always)
  mutating func next(isolation: isolated (any Actor)?) async throws -> Element? {
    if let element = left.popLast() { return element }
    left = try await fetch()
    left.reverse()
    return left.popLast()
  }
}

@available(*, unavailable)
extension StreamElements: Sendable {}
