/// What core keeps for one open store: its options and, with the gate, whatever every store would
/// otherwise repeat.
public final class StoreRuntime: Sendable {
  /// The options the store was opened with.
  public let options: StoreOptions

  /// Makes the runtime of a store that is being opened.
  public init(options: StoreOptions = StoreOptions()) {
    self.options = options
  }
}
