public import Observation
public import ORMCore

/// A query whose rows follow the store, for views that observe objects of the main actor.
///
/// ```swift
/// @MainActor func shelf(_ store: any Store) {
///   let snacks = LiveQuery(store, Snack.all.where { $0.price < 3 }.sorted(by: .ascending(\.name)))
///   print(snacks.rows.count)
///   snacks.query = Snack.all.sorted(by: .descending(\.price))
/// }
/// ```
///
/// Its properties are tracked by Swift's Observation framework, each for itself. It begins to load when
/// it is made, and follows the store until it is released.
@MainActor
@Observable
public final class LiveQuery<Model: PrimaryKeyed, Section: Sendable> {
  /// The query.
  ///
  /// Another one is loaded at once. The rows of the one before stay until it is there.
  public var query: Query<Model> {
    didSet { if query != oldValue { begin() } }
  }
  /// The rows, in their sections.
  public private(set) var list: SectionedList<Model, Section>
  /// The change that led to the list; nil before the first.
  public private(set) var lastChange: ListChange<Model, Section>?
  /// The error that ended the query; nil while it follows the store.
  ///
  /// The list stays as it was. Another query begins anew.
  public private(set) var error: (any Error)?
  /// True until the rows of the query are there.
  public private(set) var isLoading = true

  /// The rows of all sections, in the order of the query.
  public var rows: ListRows<Model> { list.rows }
  /// The sections, in the order of the query.
  public var sections: [ListSection<Section>] { list.sections }

  @ObservationIgnored private let store: any Store
  @ObservationIgnored private let sectioning: ListSectioning<Section>
  @ObservationIgnored private let following = Lock<Following?>(nil)

  /// An iteration of the list, and the task that reads it.
  private struct Following: Sendable {
    let task: Task<Void, Never>
    let iteration: ListIteration<Model, Section>

    /// Ends both at once: the task itself waits for the main actor.
    func cancel() {
      task.cancel()
      iteration.cancel()
    }
  }

  private init(
    _ store: any Store, _ query: Query<Model>, by sectioning: ListSectioning<Section>
  ) {
    self.store = store
    self.query = query
    self.sectioning = sectioning
    list = SectionedList(emptyBy: sectioning)
    begin()
  }

  deinit { following.withLock { $0?.cancel() } }

  /// Makes a query with sections by an attribute, which its order begins with.
  public convenience init(
    _ store: any Store, _ query: Query<Model>, sectionedBy path: AttributePath<Model, Section>
  ) where Section: AttributeValue {
    self.init(store, query, by: ListSectioning(Query<Model>().select(path)))
  }

  /// Makes a query with sections by a value, which its order begins with.
  public convenience init(
    _ store: any Store, _ query: Query<Model>,
    sectionedBy body: (Fields<Model>) -> Field<Model, Section>
  ) where Section: AttributeValue {
    self.init(store, query, by: ListSectioning(Query<Model>().select(body)))
  }

  /// Makes a query without sections.
  public convenience init(_ store: any Store, _ query: Query<Model>) where Section == Void {
    self.init(store, query, by: .none(()))
  }

  /// Begins to follow the query.
  private func begin() {
    isLoading = true
    error = nil
    let iteration = ListObservation(store, query, .newest, sectioning)
      .iterate(after: lastChange?.list)
    let task = Task { @MainActor [weak self] in
      do {
        while let change = try await iteration.next(isolation: MainActor.shared) {
          if Task.isCancelled { break }
          self?.show(change)
        }
      } catch {
        if !Task.isCancelled { self?.end(error) }
      }
      iteration.cancel()
    }
    following.withLock { following in
      following?.cancel()
      following = Following(task: task, iteration: iteration)
    }
  }

  private func show(_ change: ListChange<Model, Section>) {
    list = change.list
    lastChange = change
    isLoading = false
  }

  private func end(_ error: any Error) {
    self.error = error
    isLoading = false
  }
}
