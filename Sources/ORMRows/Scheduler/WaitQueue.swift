/// A queue of waiters, in the order of their numbers, first come first served.
///
/// A waiter that is removed from the middle leaves a gap, until the gaps outnumber the rest. So a removal
/// costs a binary search and moves no others. Every operation is O(log n) amortized at most.
struct WaitQueue<Element: Identifiable & Equatable & Sendable>: Sendable
where Element.ID == UInt64 {
  /// One position in the queue, with its number even after its element has left.
  private struct Position: Sendable {
    let id: UInt64
    var element: Element?
  }

  private var positions: [Position] = []
  /// The first element's position; everything before it has left.
  private var head = 0
  /// The positions behind `head` whose element has left.
  private var gaps = 0

  /// Below this many empty positions tidying up is not worth its copy.
  private static var tidyThreshold: Int { 32 }

  /// The number of waiting elements.
  var count: Int { positions.count - head - gaps }
  /// True if there are no waiters.
  var isEmpty: Bool { head == positions.count }
  /// The first element; nil if the queue is empty.
  var first: Element? { isEmpty ? nil : positions[head].element }
  /// The last element; nil if the queue is empty.
  var last: Element? { isEmpty ? nil : positions[positions.count - 1].element }
  /// The elements, in order.
  var elements: [Element] { positions[head...].compactMap(\.element) }

  /// Takes the last position; the element's number must be greater than all before.
  mutating func append(_ element: Element) {
    positions.append(Position(id: element.id, element: element))
  }

  /// Takes the first out of the queue.
  mutating func popFirst() -> Element? {
    guard !isEmpty, let first else { return nil }
    positions[head].element = nil
    head += 1
    skipGaps()
    return first
  }

  /// Removes an element from any position of the queue; nil if it is not there.
  mutating func remove(_ id: UInt64) -> Element? {
    var low = head
    var high = positions.count
    while low < high {
      let middle = (low + high) / 2
      if positions[middle].id < id { low = middle + 1 } else { high = middle }
    }
    guard low < positions.count, positions[low].id == id, let element = positions[low].element
    else { return nil }
    positions[low].element = nil
    gaps += 1
    skipGaps()
    return element
  }

  /// Moves the head to the next element, drops gaps at the end, and closes gaps where they are
  /// most of the queue.
  private mutating func skipGaps() {
    while head < positions.count, positions[head].element == nil {
      head += 1
      gaps -= 1
    }
    while positions.count > head, positions[positions.count - 1].element == nil {
      positions.removeLast()
      gaps -= 1
    }
    if head == positions.count {
      positions.removeAll(keepingCapacity: positions.capacity <= Self.tidyThreshold)
      head = 0
    } else if head + gaps > Self.tidyThreshold, (head + gaps) * 2 > positions.count {
      positions.removeAll { $0.element == nil }
      head = 0
      gaps = 0
    }
  }
}

extension WaitQueue: Equatable {
  /// Returns whether two queues have the same elements in the same order; gaps do not count.
  static func == (left: WaitQueue, right: WaitQueue) -> Bool {
    left.elements == right.elements
  }
}
