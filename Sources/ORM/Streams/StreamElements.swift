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

  /// Fetches the next batch into `left`, its elements in their order; none at the end.
  ///
  /// The batch is read into the memory of the one before, so that a stream allocates none for
  /// batches after the first.
  @usableFromInline
  mutating func fetch() async throws {
    if isAtEnd { return }
    try Task.checkCancellation()
    var rows: [Element] = []
    swap(&rows, &left)
    (left, isAtEnd) = try await feed.nextBatch(into: rows)
  }

  /// The next element; nil at the end.
  @inlinable @inline(__always)
  mutating func next(isolation: isolated (any Actor)?) async throws -> Element? {
    if let element = left.popLast() { return element }
    // Small, so that it is inlined into the loop, which would otherwise call it for each element: a
    // call of an asynchronous function is 300 instructions. The element is taken here and not there,
    // since the loop would change executors for each element that a call may have given.
    try await refill()
    return left.popLast()
  }

  /// Fetches the next batch, the first of its elements last; none at the end.
  @inlinable @inline(never)
  mutating func refill() async throws {
    try await fetch()
    reverseByMoving()
  }

  /// Reverses the batch.
  ///
  /// Elements are moved. `reverse()` copies one of each two that it swaps, which counts the
  /// references in it: a fifth of a stream of rows with texts.
  @inlinable @inline(__always)
  mutating func reverseByMoving() {
    left.withUnsafeMutableBufferPointer { elements in
      guard elements.count > 1, var low = elements.baseAddress else { return }
      var high = low + (elements.count &- 1)
      // Invariant: all elements are initialized, and `low` and `high` are elements of the batch.
      while low < high {
        let element = low.move()
        low.moveInitialize(from: high, count: 1)
        high.initialize(to: element)
        low += 1
        high -= 1
      }
    }
  }
}

@available(*, unavailable)
extension StreamElements: Sendable {}
